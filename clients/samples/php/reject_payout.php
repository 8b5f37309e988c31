<?php

require __DIR__ . '/client.php';

// sample
// The client of another holder.
$rejected = $client->payouts->reject('PAY-1001', [
    'phone' => '254712345678',
    'amount_minor' => 25_000,
]);
echo $rejected->status; // rejected
