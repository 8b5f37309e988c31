<?php

require __DIR__ . '/client.php';

// sample
$item = $client->payouts->get('PAY-1001');
echo $item->status, ' ', $item->failure_code;
