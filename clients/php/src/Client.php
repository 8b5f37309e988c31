<?php

declare(strict_types=1);

namespace PesaPost;

use InvalidArgumentException;
use PesaPost\Internal\Connection;
use PesaPost\Internal\Http;
use PesaPost\Internal\Settings;
use PesaPost\Internal\SigningKey;
use PesaPost\Resource\Accounts;
use PesaPost\Resource\Collections;
use PesaPost\Resource\Events;
use PesaPost\Resource\PayoutBatches;
use PesaPost\Resource\Payouts;
use PesaPost\Resource\Transactions;
use Psr\SimpleCache\CacheInterface;
use SensitiveParameter;
use SensitiveParameterValue;

/**
 * The client of PesaPost V4, for one credential. Make one and keep it, because it keeps the token.
 *
 * A call blocks its process until it ends. A client belongs to one thread (SDK-25).
 */
final class Client
{
    /** Money from customers' phones. */
    public readonly Collections $collections;
    /** Money to customers' phones. */
    public readonly Payouts $payouts;
    /** Many payouts as one batch. */
    public readonly PayoutBatches $payoutBatches;
    /** The list of collections and payouts. */
    public readonly Transactions $transactions;
    /** The accounts that receive the money. */
    public readonly Accounts $accounts;
    /** The events of the webhooks, stored. */
    public readonly Events $events;

    /**
     * Checks the options; no request is sent.
     *
     * @param string $baseUrl scheme and host, such as https://api.example.com; plain http only for this machine
     * @param string $privateKey PEM of the RSA key; the credential was issued for its public half
     * @param float $timeout seconds for each try, from the connection to the end of the answer
     * @param (callable(): (int|float))|null $now returns Unix time in seconds, within 300 s of the service's
     * @param bool $allowHttp allows plain http to another machine, where secrets are then readable
     * @param CacheInterface|null $tokenCache keeps the token between web requests, such as Laravel's cache.store
     * @param array<int, mixed> $curlOptions such as CURLOPT_CAINFO or CURLOPT_PROXY; the client's own options win
     *
     * @throws InvalidArgumentException with the name of the option
     */
    public function __construct(
        string $baseUrl,
        string $clientId,
        #[SensitiveParameter] string $clientSecret,
        #[SensitiveParameter] string $privateKey,
        float $timeout = 20.0,
        RetryPolicy $retries = new RetryPolicy(),
        ?callable $now = null,
        bool $allowHttp = false,
        ?CacheInterface $tokenCache = null,
        array $curlOptions = [],
    ) {
        if ($clientId === '' || $clientSecret === '') {
            throw new InvalidArgumentException('clientId or clientSecret is missing');
        }
        $origin = Settings::origin($baseUrl, $allowHttp);
        $connection = new Connection(new Settings(
            $origin,
            $clientId,
            new SensitiveParameterValue($clientSecret),
            new SigningKey($privateKey),
            new Http($origin, $curlOptions),
            Settings::positiveSeconds('timeout', $timeout),
            $retries,
            ($now ?? static fn (): float => microtime(true))(...),
            $tokenCache,
        ));
        $this->collections = new Collections($connection);
        $this->payouts = new Payouts($connection);
        $this->payoutBatches = new PayoutBatches($connection);
        $this->transactions = new Transactions($connection);
        $this->accounts = new Accounts($connection);
        $this->events = new Events($connection);
    }
}
