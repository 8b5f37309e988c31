<?php

declare(strict_types=1);

namespace PesaPost\Tests;

require_once __DIR__ . '/../autoload.php';

use ArrayObject;
use InvalidArgumentException;
use PesaPost\Answer\Event;
use PesaPost\Client;
use PesaPost\ErrorKind;
use PesaPost\Internal\Json;
use PesaPost\PesaPostException;
use PesaPost\RetryPolicy;
use PHPUnit\Framework\TestCase;

/** Tests of the points that only the PHP client has; the conformance suite has the others. */
final class ClientTest extends TestCase
{
    private static string $pem;

    public static function setUpBeforeClass(): void
    {
        self::$pem = self::pem(['private_key_bits' => 2048]);
    }

    /** @param array<string, mixed> $options */
    private static function pem(array $options, ?string $password = null): string
    {
        $key = openssl_pkey_new($options);
        self::assertNotFalse($key);
        openssl_pkey_export($key, $pem, $password);
        return $pem;
    }

    private static function client(string $privateKey, mixed ...$options): Client
    {
        $own = ['baseUrl' => 'http://127.0.0.1:1', 'clientId' => 'id-1', 'clientSecret' => 'secret-1'];
        return new Client(...$options, ...$own, privateKey: $privateKey);
    }

    public function testAcceptsLineFeedsOfEnvironmentVariables(): void
    {
        self::assertInstanceOf(Client::class, self::client(str_replace("\n", '\n', self::$pem)));
    }

    /** @return iterable<string, array{string, callable(): string}> */
    public static function badKeys(): iterable
    {
        yield 'a small key' => ['2048 bits', fn () => self::pem(['private_key_bits' => 1024])];
        $curve = ['private_key_type' => OPENSSL_KEYTYPE_EC, 'curve_name' => 'prime256v1'];
        yield 'another algorithm' => ['not an RSA key', fn () => self::pem($curve)];
        yield 'a password' => ['encrypted', fn () => self::pem(['private_key_bits' => 2048], 'password')];
        yield 'no key' => ['no private key', fn () => '-----BEGIN'];
        yield 'a file' => ['no private key', fn () => 'file://' . __FILE__];
    }

    /**
     * @dataProvider badKeys
     *
     * @param callable(): string $pem
     */
    public function testRefusesOtherKeysByTheirFault(string $fault, callable $pem): void
    {
        $this->expectException(InvalidArgumentException::class);
        $this->expectExceptionMessage($fault);
        self::client($pem());
    }

    /** @return iterable<array{callable(): mixed}> */
    public static function badOptions(): iterable
    {
        yield [fn () => self::client(self::$pem, timeout: 0.0)];
        yield [fn () => self::client(self::$pem, timeout: NAN)];
        yield [fn () => new RetryPolicy(maxRetries: 21)];
        yield [fn () => new RetryPolicy(baseDelay: -1.0)];
        yield [fn () => new RetryPolicy(maxDelay: NAN)];
    }

    /**
     * @dataProvider badOptions
     *
     * @param callable(): mixed $make
     */
    public function testRefusesOptionsThatCannotWork(callable $make): void
    {
        $this->expectException(InvalidArgumentException::class);
        $make();
    }

    public function testShowsNoSecretWhenItIsPrinted(): void
    {
        $client = self::client(self::$pem);
        foreach ([print_r($client, true), var_export($client, true)] as $printed) {
            self::assertStringContainsString('id-1', $printed);
            self::assertStringNotContainsString('secret-1', $printed);
            self::assertStringNotContainsString('PRIVATE KEY', $printed);
        }
    }

    public function testShowsNoSecretInTheTraceOfAMistake(): void
    {
        $ignored = ini_set('zend.exception_ignore_args', '0');
        try {
            self::client('damaged-key', timeout: 1.0);
            self::fail('no mistake');
        } catch (InvalidArgumentException $error) {
            $isOwn = fn (array $one): bool => preg_match('/^PesaPost.(Internal|Client)/', $one['class']) === 1;
            $own = array_filter($error->getTrace(), $isOwn);
            self::assertCount(2, $own);
            self::assertStringNotContainsString('damaged-key', print_r($own, true));
        } finally {
            ini_set('zend.exception_ignore_args', (string) $ignored);
        }
    }

    public function testNamesTheCauseOfABrokenConnection(): void
    {
        try {
            self::client(self::$pem, retries: new RetryPolicy(maxRetries: 0))->collections->get('INV-1');
            self::fail('no failure');
        } catch (PesaPostException $error) {
            self::assertSame(['network_failure', ErrorKind::Network], [$error->errorCode, $error->kind]);
            self::assertNotNull($error->getPrevious());
        }
    }

    public function testReadsNoNumberAsAFloat(): void
    {
        $text = '{"rate":1.10,"huge":1e400,"in text":"a\"1.5","amount_minor":"250","deep":[{"fee_minor":12}]}';
        self::assertSame(
            ['rate' => '1.10', 'huge' => '1e400', 'in text' => 'a"1.5', 'amount_minor' => 250, 'deep' => [
                ['fee_minor' => 12],
            ]],
            Json::object($text),
        );
        $beyond = '9223372036854775808';
        self::assertSame(['sum_minor' => $beyond], Json::object("{\"sum_minor\":$beyond}"));
        self::assertSame(['sum_minor' => PHP_INT_MIN], Json::object('{"sum_minor":-9223372036854775808}'));
    }

    public function testRefusesAnAmountThatIsNoIntegerAndWhatIsNotJson(): void
    {
        foreach (['{"amount_minor":2.5}', '{"amount_minor":"KES 1"}', '{1.5:1}', str_repeat('{"a":', 600)] as $text) {
            self::assertNull(Json::object($text), $text);
        }
    }

    /** @return iterable<string, array{array<string, mixed>}> */
    public static function badBodies(): iterable
    {
        yield 'a float' => [['amount_minor' => 250.0]];
        yield 'a float elsewhere' => [['items' => [['count' => 1.0]]]];
        yield 'digits of a form' => [['amount_minor' => '250']];
        yield 'an object' => [['phone' => new ArrayObject()]];
        yield 'text that is not UTF-8' => [['phone' => "\xff"]];
    }

    /**
     * @dataProvider badBodies
     *
     * @param array<string, mixed> $body
     */
    public function testSendsNothingThatIsInexact(array $body): void
    {
        $this->expectException(InvalidArgumentException::class);
        Json::encode($body);
    }

    public function testSendsDigitsBeyond64BitsAsANumber(): void
    {
        $body = ['amount_minor' => '9223372036854775808', 'reference' => 'a_minor":"1"'];
        self::assertSame('{"amount_minor":9223372036854775808,"reference":"a_minor\":\"1\""}', Json::encode($body));
    }

    public function testMakesAnEventForTheCallersOwnTests(): void
    {
        $event = new Event(id: 'e-1', type: 'collection.completed');
        self::assertSame(['e-1', 0], [$event->id, $event->data->amount_minor]);
    }
}
