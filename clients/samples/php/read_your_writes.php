<?php

require __DIR__ . '/client.php';

// sample
$page = $client->transactions->list();
$balance = $client->accounts->balance(
    '10000001',
    minPosition: $page->ledgerPosition,
);
echo $balance->available_minor;
