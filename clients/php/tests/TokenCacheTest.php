<?php

declare(strict_types=1);

namespace PesaPost\Tests;

require_once __DIR__ . '/../autoload.php';
require_once __DIR__ . '/BuiltInServer.php';
require_once 'Illuminate/Cache/autoload.php';

use Illuminate\Cache\ArrayStore;
use Illuminate\Cache\Repository;
use PesaPost\Client;
use PHPUnit\Framework\TestCase;

/** Tests of the cache that keeps the token between web requests. */
final class TokenCacheTest extends TestCase
{
    private BuiltInServer $service;
    private Repository $cache;

    protected function setUp(): void
    {
        $this->service = new BuiltInServer(__DIR__ . '/servers/service.php');
        $this->cache = new Repository(new ArrayStore());
    }

    protected function tearDown(): void
    {
        $this->service->stop();
    }

    /** Calls with a client of its own, as a web request does. Returns the token. */
    private function tokenOfACall(): string
    {
        openssl_pkey_export(openssl_pkey_new(['private_key_bits' => 2048]), $pem);
        $client = new Client($this->service->url, 'id-1', 'secret-1', $pem, tokenCache: $this->cache);
        $client->collections->get('INV-1');
        return $this->service->await('/called with Bearer (.*)$/');
    }

    public function testIsReadByTheNextRequest(): void
    {
        $first = $this->tokenOfACall();
        self::assertSame($first, $this->tokenOfACall());
    }

    public function testIsRenewedIfTheServiceRefusesItsToken(): void
    {
        $key = 'pesapost.token.' . hash('sha256', $this->service->url . ' id-1');
        $this->cache->set($key, ['text' => 'refused', 'renew_at' => time() + 3600.0]);
        $renewed = $this->tokenOfACall();
        self::assertSame([16, $renewed], [strlen($renewed), $this->tokenOfACall()]);
        self::assertSame($renewed, $this->cache->get($key)['text']);
    }
}
