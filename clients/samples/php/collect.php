<?php

require __DIR__ . '/client.php';

// sample
$created = $client->collections->create([
    'account_no' => getenv('ACCOUNT_NO'),
    'phone' => '254712345678',
    'amount_minor' => 25_000, // KES 250.00
    'currency' => 'KES',
    'channel' => 'mpesa',
    'reference' => uniqid('INV-'),
]);
echo "$created->status\n"; // pending

// Waits for up to 120 s.
$settled = $client->collections->waitUntilSettled($created->reference);
echo "$settled->status $settled->amount_minor\n";
