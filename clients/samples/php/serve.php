<?php

/** A sample that receives webhooks runs in PHP's built-in server: started as a program, it starts that server. */

require __DIR__ . '/../../php/autoload.php';

if (PHP_SAPI === 'cli') {
    pcntl_exec(PHP_BINARY, ['-S', '127.0.0.1:' . getenv('PORT'), $_SERVER['SCRIPT_FILENAME']]);
}

function report(string $line): void
{
    file_put_contents('php://stderr', "$line\n");
}
