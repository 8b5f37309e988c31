<?php

require __DIR__ . '/client.php';

// sample
// The client of another holder.
$approved = $client->payoutBatches->approve('salaries-2026-11', [
    'count' => 240,
    'amount_minor' => 6_000_000,
]);
echo $approved->status; // pending
