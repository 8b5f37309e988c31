<?php

require __DIR__ . '/client.php';

// sample
$item = $client->collections->get('INV-1001');
echo $item->status, ' ', $item->failure_code;
