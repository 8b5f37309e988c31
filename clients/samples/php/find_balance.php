<?php

require __DIR__ . '/client.php';

// sample
$balance = $client->accounts->balance('10000001');
echo $balance->available_minor; // an int
