<?php

/** A service for PHP's built-in server. It refuses the token "refused", and logs the token of each other call. */

declare(strict_types=1);

header('Content-Type: application/json');
$token = $_SERVER['HTTP_AUTHORIZATION'] ?? '';
if ($_SERVER['REQUEST_URI'] === '/api/v4/oauth/token') {
    error_log('asked for a token');
    echo json_encode(['access_token' => bin2hex(random_bytes(8)), 'expires_in' => 3600]);
} elseif ($token === 'Bearer refused') {
    http_response_code(401);
    echo '{"error":"invalid_token"}';
} else {
    error_log("called with $token");
    echo '{"status":"pending"}';
}
