<?php

require __DIR__ . '/client.php';

// sample
$receipt = $client->collections->receipt('INV-1001');
// Store it unchanged.
file_put_contents('INV-1001.json', $receipt->text);
