<?php

$checker = new PesaPost\Client(
    baseUrl: getenv('BASE_URL'),
    clientId: getenv('CHECKER_ID'),
    clientSecret: getenv('CHECKER_SECRET'),
    privateKey: file_get_contents('checker.key'),
);
