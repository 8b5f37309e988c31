<?php

require __DIR__ . '/client.php';
require __DIR__ . '/checker.php';

// sample
$payout = [
    'account_no' => getenv('ACCOUNT_NO'),
    'phone' => '254712345678',
    'amount_minor' => 1_000,
    'currency' => 'KES',
    'channel' => 'mpesa',
    'reference' => uniqid('PAY-'),
];
$asked = $client->payouts->request($payout);
echo "$asked->status\n"; // pending_approval

// Another holder approves it, with a credential of their own.
$approved = $checker->payouts->approve($payout['reference'], [
    'phone' => $payout['phone'],
    'amount_minor' => $payout['amount_minor'],
]);
echo "$approved->status\n"; // pending
