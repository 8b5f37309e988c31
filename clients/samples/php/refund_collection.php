<?php

require __DIR__ . '/client.php';

// sample
$asked = $client->collections->refund('INV-1001', [
    'phone' => '254712345678',
    'amount_minor' => 25_000,
    'reference' => 'REFUND-1001',
]);
echo $asked->status; // pending_approval: another holder approves it
