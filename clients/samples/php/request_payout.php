<?php

require __DIR__ . '/client.php';

// sample
$asked = $client->payouts->request([
    'account_no' => '10000001',
    'phone' => '254712345678',
    'amount_minor' => 25_000,
    'currency' => 'KES',
    'channel' => 'mpesa',
    'reference' => 'PAY-1001',
]);
echo $asked->status; // pending_approval
