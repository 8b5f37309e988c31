<?php

require __DIR__ . '/client.php';

// sample
$cancelled = $client->payouts->cancel('PAY-1001');
echo $cancelled->status;
