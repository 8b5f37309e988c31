<?php

require __DIR__ . '/../../php/autoload.php';

// sample
// It gets the token, keeps it and renews it.
$client = new PesaPost\Client(
    baseUrl: getenv('BASE_URL'),
    clientId: getenv('CLIENT_ID'),
    clientSecret: getenv('CLIENT_SECRET'),
    privateKey: file_get_contents('merchant.key'),
    // A PSR-16 cache, if you answer web requests.
    tokenCache: null,
);
