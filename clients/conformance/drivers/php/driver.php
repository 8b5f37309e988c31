<?php

/** Runs the conformance suite's requests with the PHP client (clients/conformance/README.md). */

declare(strict_types=1);

require __DIR__ . '/../../../php/autoload.php';

use PesaPost\Client;
use PesaPost\Internal\Signing;
use PesaPost\Internal\SigningKey;
use PesaPost\PesaPostException;
use PesaPost\RetryPolicy;
use PesaPost\Webhook;
use PesaPost\WebhookVerificationException;

// PHP has no threads: the requests run one after the other.
$operations = new class () {
    /** @var array<string, Client> */
    private array $clients = [];

    public function client(array $args): array
    {
        $retries = $args['retries'] ?? [];
        $policy = new RetryPolicy(...present([
            'maxRetries' => $retries['max'] ?? null,
            'baseDelay' => seconds($retries['base_delay_ms'] ?? null),
            'maxDelay' => seconds($retries['max_delay_ms'] ?? null),
        ]));
        $this->clients[$args['client']] = new Client(...present([
            'baseUrl' => $args['base_url'],
            'clientId' => $args['client_id'],
            'clientSecret' => $args['client_secret'],
            'privateKey' => $args['private_key_pem'],
            'timeout' => seconds($args['timeout_ms'] ?? null),
            'retries' => $policy,
            'now' => isset($args['now_ms']) ? fn (): float => seconds($args['now_ms']) : null,
        ]));
        return [];
    }

    public function call(array $args): mixed
    {
        [$resource, $method] = array_map(camelCase(...), explode('.', $args['method']));
        $result = $this->clients[$args['client']]->$resource->$method(...withInts($args['arguments']), ...present([
            'idempotencyKey' => $args['idempotency_key'] ?? null,
            'minPosition' => $args['min_position'] ?? null,
            'atPosition' => $args['at_position'] ?? null,
            'timeout' => seconds($args['timeout_ms'] ?? null),
            'limit' => $args['limit'] ?? null,
        ]));
        return $result instanceof Generator ? taken($result, $args['take'] ?? null) : $result;
    }

    public function sign(array $args): array
    {
        $body = base64_decode($args['body_base64']);
        $parts = [$args['method'], $args['raw_path'], $args['raw_query'], $body, $args['nonce'], $args['timestamp']];
        $text = Signing::stringToSign(...$parts);
        return [
            'canonical_query' => Signing::canonicalQuery($args['raw_query']),
            'string_to_sign' => $text,
            'signature' => (new SigningKey($args['private_key_pem']))->sign($text),
        ];
    }

    public function verifyWebhook(array $args): mixed
    {
        return Webhook::verify(base64_decode($args['payload_base64']), $args['headers'], $args['secrets'], ...present([
            'toleranceSeconds' => $args['tolerance_seconds'] ?? null,
            'now' => seconds($args['now_ms'] ?? null),
        ]));
    }
};

function present(array $options): array
{
    return array_filter($options, fn (mixed $value): bool => $value !== null);
}

function seconds(int|null $milliseconds): ?float
{
    return $milliseconds === null ? null : $milliseconds / 1000;
}

function camelCase(string $name): string
{
    return lcfirst(str_replace('_', '', ucwords($name, '_')));
}

function taken(Generator $items, ?int $most): array
{
    $taken = [];
    while ($most !== count($taken) && $items->valid()) {
        $taken[] = $items->current();
        if ($most !== count($taken)) {
            $items->next();
        }
    }
    return $taken;
}

/** Returns true if digits do not fit in an int, so that the client's own type of the amount is text. */
function isBeyondInt(string $digits): bool
{
    return (string) (int) $digits !== $digits;
}

/** Makes the client's own amounts of the suite's digits. */
function withInts(mixed $value, int|string $name = ''): mixed
{
    if (is_array($value)) {
        return array_combine(array_keys($value), array_map(withInts(...), $value, array_keys($value)));
    }
    $isDigits = is_string($value) && str_ends_with((string) $name, '_minor') && ctype_digit($value);
    return $isDigits && !isBeyondInt($value) ? (int) $value : $value;
}

/** Writes amounts as digits, if they are of the type that the client promises. */
function withDigits(mixed $value, int|string $name = ''): mixed
{
    if (is_object($value)) {
        return answerWithDigits($value);
    }
    if (is_array($value)) {
        return array_combine(array_keys($value), array_map(withDigits(...), $value, array_keys($value)));
    }
    if (!str_ends_with((string) $name, '_minor') || !(is_int($value) || is_string($value))) {
        return $value;
    }
    return is_int($value) || isBeyondInt($value) ? (string) $value : ['text within 64 bits' => $value];
}

/** Members that have a property come from the property. */
function answerWithDigits(object $answer): array
{
    $written = withDigits($answer->members);
    foreach (get_object_vars($answer) as $name => $value) {
        if (isset($written[$name]) && $name !== 'members') {
            $written[$name] = withDigits($value, $name);
        }
    }
    return $written + present([
        'existing' => $answer->existing ?? null,
        'replayed' => $answer->replayed ?? null,
        'ledger_position' => $answer->ledgerPosition ?? null,
    ]);
}

function failureOf(Throwable $error): array
{
    if ($error instanceof PesaPostException) {
        return present([
            'type' => 'call',
            'message' => $error->getMessage(),
            'code' => $error->errorCode,
            'kind' => $error->kind->value,
            'status' => $error->status,
            'detail' => $error->detail,
            'request_id' => $error->requestId,
            'retry_after_seconds' => $error->retryAfterSeconds,
            'wire_code' => $error->wireCode,
            'call' => $error->call,
            'attempts' => $error->attempts,
            'idempotency_key' => $error->idempotencyKey,
            'reference' => isset($error->existing) ? $error->existing->reference : null,
            'differs' => $error->differs ?? null,
            'existing' => isset($error->existing) ? withDigits($error->existing) : null,
            'last' => isset($error->last) ? withDigits($error->last) : null,
        ]);
    }
    if ($error instanceof WebhookVerificationException) {
        return ['type' => 'webhook', 'code' => $error->errorCode];
    }
    $isMistake = $error instanceof InvalidArgumentException || $error instanceof TypeError;
    return ['type' => $isMistake ? 'mistake' : 'defect', 'message' => $isMistake ? $error->getMessage() : "$error"];
}

while (($line = fgets(STDIN)) !== false) {
    $request = json_decode($line, true, 512, JSON_THROW_ON_ERROR | JSON_BIGINT_AS_STRING);
    try {
        $result = ['ok' => withDigits($operations->{camelCase($request['op'])}($request['args']))];
    } catch (Throwable $error) {
        $result = ['error' => failureOf($error)];
    }
    $flags = JSON_THROW_ON_ERROR | JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE;
    fwrite(STDOUT, json_encode(['id' => $request['id']] + $result, $flags) . "\n");
}
