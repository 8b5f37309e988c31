<?php

require __DIR__ . '/client.php';

// sample
$filters = [
    'status' => 'completed',
    'from' => '2026-01-01',
    'to' => '2026-01-31',
];
// Page after page, newest first.
foreach ($client->transactions->all($filters) as $item) {
    echo "$item->reference $item->amount_minor\n";
}
