<?php

require __DIR__ . '/client.php';

// sample
$day = getenv('DAY');
[$count, $amount, $fees] = [0, 0, 0];
$filters = [
    'type' => 'collection',
    'status' => 'completed',
    'date_field' => 'paid_at', // the day of M-Pesa's statement
    'from' => $day,
    'to' => $day,
];
foreach ($client->transactions->all($filters) as $item) {
    $count += 1;
    $amount += $item->amount_minor;
    $fees += $item->fee_minor;
}
echo "$count completed, amount $amount, fees $fees\n";
