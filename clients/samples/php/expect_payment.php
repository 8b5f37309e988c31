<?php

require __DIR__ . '/client.php';

// sample
$expected = $client->collections->expect([
    'account_no' => '10000001',
    'amount_minor' => 25_000,
    'currency' => 'KES',
    'channel' => 'mpesa',
    'reference' => 'INV7',
]);
echo $expected->pay_to->account; // 10000001 INV7
