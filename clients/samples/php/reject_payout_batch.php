<?php

require __DIR__ . '/client.php';

// sample
// The client of another holder.
$rejected = $client->payoutBatches->reject('salaries-2026-11', [
    'count' => 240,
    'amount_minor' => 6_000_000,
]);
echo $rejected->status; // rejected
