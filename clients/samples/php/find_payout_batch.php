<?php

require __DIR__ . '/client.php';

// sample
$batch = $client->payoutBatches->get('salaries-2026-11');
echo $batch->by_status['completed']->count;
