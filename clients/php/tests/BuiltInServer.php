<?php

declare(strict_types=1);

namespace PesaPost\Tests;

use RuntimeException;

/** PHP's built-in server with one script, on a free port. */
final class BuiltInServer
{
    /** @var resource */
    private $process;
    /** @var resource */
    private $log;
    public readonly string $url;

    public function __construct(string $script)
    {
        $words = [PHP_BINARY, '-S', '127.0.0.1:0', $script];
        $process = proc_open($words, [1 => ['file', '/dev/null', 'w'], 2 => ['pipe', 'w']], $pipes);
        if ($process === false) {
            throw new RuntimeException('the server does not start');
        }
        $this->process = $process;
        $this->log = $pipes[2];
        $this->url = $this->await('#\((http://127\.0\.0\.1:\d+)\) started#');
    }

    /** Reads the log up to a line that matches. Returns the first group. */
    public function await(string $pattern): string
    {
        while (($line = fgets($this->log)) !== false) {
            if (preg_match($pattern, $line, $found) === 1) {
                return $found[1];
            }
        }
        throw new RuntimeException("the server's log ended without $pattern");
    }

    /**
     * Returns the status of the answer.
     *
     * @param array<string, string> $headers
     */
    public function post(string $path, string $body, array $headers): int
    {
        $lines = array_map(fn (string $name): string => "$name: $headers[$name]", array_keys($headers));
        $options = ['method' => 'POST', 'header' => $lines, 'content' => $body, 'ignore_errors' => true];
        file_get_contents("$this->url$path", false, stream_context_create(['http' => $options]));
        return (int) explode(' ', $http_response_header[0])[1];
    }

    public function stop(): void
    {
        proc_terminate($this->process);
        proc_close($this->process);
    }
}
