<?php

declare(strict_types=1);

namespace PesaPost\Internal;

use CurlHandle;
use RuntimeException;

/**
 * Sends requests to one server, each with its whole answer within a deadline (SDK-3, SDK-9).
 *
 * @internal
 */
final class Http
{
    private ?CurlHandle $curl = null;

    /** @param array<int, mixed> $curlOptions */
    public function __construct(private readonly string $origin, private readonly array $curlOptions)
    {
    }

    /**
     * Sends a request and reads its answer.
     *
     * @param string $target path and query as they were signed
     * @param array<string, string|null> $headers those that are null are not sent
     */
    public function exchange(
        string $method,
        string $target,
        array $headers,
        ?string $body,
        float $seconds,
    ): HttpAnswer|Failure {
        $received = [];
        $own = [
            CURLOPT_URL => $this->origin . $target,
            CURLOPT_PATH_AS_IS => true,
            CURLOPT_CUSTOMREQUEST => $method,
            CURLOPT_HTTPHEADER => self::lines($headers),
            CURLOPT_HEADERFUNCTION => static function (CurlHandle $curl, string $line) use (&$received): int {
                $parts = explode(':', $line, 2);
                if (isset($parts[1])) {
                    $received[strtolower($parts[0])][] = trim($parts[1]);
                } elseif (str_starts_with($line, 'HTTP/')) {
                    // The answer follows an interim one.
                    $received = [];
                }
                return strlen($line);
            },
            CURLOPT_RETURNTRANSFER => true,
            CURLOPT_SUPPRESS_CONNECT_HEADERS => true,
            CURLOPT_FOLLOWLOCATION => false,
            CURLOPT_PROTOCOLS => CURLPROTO_HTTP | CURLPROTO_HTTPS,
            CURLOPT_TIMEOUT_MS => max(1, (int) ceil($seconds * 1000)),
            CURLOPT_NOSIGNAL => true,
            // If a kept connection breaks, curl repeats the request on its own, with the same nonce (SDK-6).
            CURLOPT_FRESH_CONNECT => true,
            CURLOPT_FORBID_REUSE => true,
        ];
        if ($body !== null) {
            $own[CURLOPT_POSTFIELDS] = $body;
        }
        // Without an option, no variable of the environment names a proxy.
        $options = $own + $this->curlOptions + [CURLOPT_PROXY => ''];
        return $this->perform($options, $seconds, $received);
    }

    /**
     * @param array<int, mixed> $options
     * @param array<string, list<string>> $received
     */
    private function perform(array $options, float $seconds, array &$received): HttpAnswer|Failure
    {
        $curl = $this->curl ??= curl_init();
        // It keeps the sessions of TLS.
        curl_reset($curl);
        curl_setopt_array($curl, $options);
        $text = curl_exec($curl);
        if (is_string($text)) {
            return new HttpAnswer(curl_getinfo($curl, CURLINFO_RESPONSE_CODE), $received, $text);
        }
        if (curl_errno($curl) === CURLE_OPERATION_TIMEDOUT) {
            return Failure::timeout($seconds);
        }
        return Failure::network(new RuntimeException(curl_error($curl), curl_errno($curl)));
    }

    /**
     * @param array<string, string|null> $headers
     *
     * @return list<string>
     */
    private static function lines(array $headers): array
    {
        // curl would otherwise ask with Expect if it may send a long body, and wait for the answer.
        $lines = ['Expect:'];
        foreach ($headers as $name => $value) {
            if ($value !== null) {
                $lines[] = "$name: $value";
            }
        }
        return $lines;
    }
}
