<?php

require __DIR__ . '/client.php';

// sample
// The client of another holder.
$approved = $client->payouts->approve('PAY-1001', [
    'phone' => '254712345678',
    'amount_minor' => 25_000,
]);
echo $approved->status; // pending
