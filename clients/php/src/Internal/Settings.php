<?php

declare(strict_types=1);

namespace PesaPost\Internal;

use Closure;
use InvalidArgumentException;
use PesaPost\RetryPolicy;
use Psr\SimpleCache\CacheInterface;
use SensitiveParameterValue;

/**
 * Options that were checked once. No secret of them is shown when they are printed.
 *
 * @internal
 */
final readonly class Settings
{
    private const THIS_MACHINE = '/^(localhost|127(\.[0-9]{1,3}){3}|\[::1])$/D';

    /** @param Closure(): (int|float) $now */
    public function __construct(
        public string $origin,
        public string $clientId,
        public SensitiveParameterValue $clientSecret,
        public SigningKey $signingKey,
        public Http $http,
        public float $timeout,
        public RetryPolicy $retries,
        public Closure $now,
        public ?CacheInterface $tokenCache,
    ) {
    }

    /** Reads scheme and host. The signature covers the path, so a base must not have its own (SDK-9). */
    public static function origin(string $baseUrl, bool $allowHttp): string
    {
        $url = preg_match('/^[\x21-\x7e]+$/D', $baseUrl) === 1 ? parse_url($baseUrl) : false;
        $scheme = strtolower($url['scheme'] ?? '');
        $host = strtolower($url['host'] ?? '');
        if ($host === '' || !in_array($scheme, ['http', 'https'], true)) {
            throw new InvalidArgumentException('baseUrl is no URL; it looks like https://api.example.com');
        }
        $port = isset($url['port']) ? ":{$url['port']}" : '';
        if (!in_array(strtolower($baseUrl), ["$scheme://$host$port", "$scheme://$host$port/"], true)) {
            throw new InvalidArgumentException('baseUrl is scheme and host alone; the client adds /api/v4 itself');
        }
        if ($scheme === 'http' && !$allowHttp && preg_match(self::THIS_MACHINE, $host) !== 1) {
            throw new InvalidArgumentException(
                'baseUrl must be https, because secrets travel in it; or set allowHttp',
            );
        }
        return "$scheme://$host$port";
    }

    /** Checks a time. */
    public static function positiveSeconds(string $name, float $seconds): float
    {
        // Written so that NAN is refused; a longer time is more than curl can wait.
        if (!($seconds > 0 && $seconds <= 2_147_483)) {
            throw new InvalidArgumentException("$name must be seconds above 0, and at most 2147483");
        }
        return $seconds;
    }
}
