<?php

require __DIR__ . '/client.php';

// sample
$cancelled = $client->payoutBatches->cancel('salaries-2026-11');
echo $cancelled->status;
