<?php

require __DIR__ . '/client.php';

// sample
$batch = $client->payoutBatches->create([
    'reference' => 'salaries-2026-11',
    'account_no' => '10000001',
    'currency' => 'KES',
    'channel' => 'mpesa',
    'items' => [[
        'reference' => 'salary-7',
        'phone' => '254712345678',
        'amount_minor' => 25_000,
    ]],
]);
echo $batch->status; // pending_approval
