<?php

require __DIR__ . '/client.php';

// sample
$created = $client->collections->create([
    'account_no' => '10000001',
    'phone' => '254712345678',
    'amount_minor' => 25_000, // KES 250.00
    'currency' => 'KES',
    'channel' => 'mpesa',
    'reference' => 'INV-1001',
]);
echo $created->status; // pending
