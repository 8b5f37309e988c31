<?php

require __DIR__ . '/client.php';

$order = [
    'account_no' => '10000001',
    'phone' => '0712345678',
    'amount_minor' => 25_000,
    'currency' => 'KES',
    'channel' => 'mpesa',
    'reference' => 'INV-1001',
];

// sample
use PesaPost\ErrorKind;
use PesaPost\PesaPostException;

try {
    $client->collections->create($order);
} catch (PesaPostException $error) {
    if ($error->kind === ErrorKind::Request) {
        echo $error->detail;
    } elseif ($error->errorCode === 'rail_rejected') {
        echo 'no push';
    } else {
        echo "repeat with $error->idempotencyKey";
    }
}
