<?php

// sample
$link = [
    'account_no' => getenv('ACCOUNT_NO'),
    'amount_minor' => 25_000, // KES 250.00
    'currency' => 'KES',
    'reference' => uniqid('ORDER-'),
    'return_url' => 'https://shop.example/paid',
    'key_id' => getenv('CHECKOUT_KEY_ID'),
    'nonce' => bin2hex(random_bytes(16)),
    'timestamp' => time(),
];
ksort($link);
$query = http_build_query($link, '', '&', PHP_QUERY_RFC3986);
$hash = hash_hmac('sha256', $query, getenv('CHECKOUT_SECRET'));
echo getenv('BASE_URL'), "/checkout?$query&hash=$hash\n";
