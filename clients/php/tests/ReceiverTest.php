<?php

declare(strict_types=1);

namespace PesaPost\Tests;

require_once __DIR__ . '/BuiltInServer.php';

use PHPUnit\Framework\TestCase;

/** Tests of the receiver, in plain PHP and in Laravel (SDK-18). */
final class ReceiverTest extends TestCase
{
    private const BODY = '{"id":"e-1","type":"collection.completed","data":{"amount_minor":100}}';

    private BuiltInServer $server;

    protected function tearDown(): void
    {
        $this->server->stop();
    }

    /** @return array<string, string> */
    private static function signed(string $body, string $secret = 'whsec_1'): array
    {
        $now = (string) time();
        return [
            'Content-Type' => 'application/json',
            'PesaPost-Event-Id' => 'e-1',
            'PesaPost-Timestamp' => $now,
            'PesaPost-Signature' => 'v4=' . hash_hmac('sha256', "e-1.$now.$body", $secret),
        ];
    }

    /** @return iterable<array{string}> */
    public static function servers(): iterable
    {
        yield 'plain PHP' => ['plain'];
        yield 'Laravel' => ['laravel'];
    }

    /** @dataProvider servers */
    public function testAnswersByWhatBecameOfTheEvent(string $name): void
    {
        $this->server = $server = new BuiltInServer(__DIR__ . "/servers/$name.php");
        self::assertSame(204, $server->post('/webhooks', self::BODY, self::signed(self::BODY)));
        self::assertSame('e-1', $server->await('/handled (.*)$/'));

        self::assertSame(400, $server->post('/webhooks', self::BODY, self::signed(self::BODY, 'whsec_3')));
        self::assertSame('no_matching_signature', $server->await('/refused (.*)$/'));
        self::assertSame(400, $server->post('/webhooks', self::BODY, ['Content-Type' => 'application/json']));
        self::assertSame('missing_header', $server->await('/refused (.*)$/'));

        $long = str_repeat(' ', 64 * 1024) . self::BODY;
        self::assertSame(413, $server->post('/webhooks', $long, self::signed($long)));

        $failing = str_replace('100', '500', self::BODY);
        self::assertSame(500, $server->post('/webhooks', $failing, self::signed($failing)));
        self::assertSame('no database', $server->await('/pesapost: a webhook was not handled: .*(no database)/'));
    }
}
