<?php

declare(strict_types=1);

namespace PesaPost;

use Closure;
use PesaPost\Answer\Event;
use SensitiveParameter;
use SensitiveParameterValue;
use Throwable;

/** Verifies webhooks, calls back with each event and says how to answer (SDK-18). */
final readonly class WebhookReceiver
{
    /** A larger body is answered with 413. */
    public const MAX_BODY_BYTES = 64 * 1024;

    private SensitiveParameterValue $secrets;
    private Closure $onEvent;
    private Closure $onRefused;
    private Closure $onError;

    /**
     * @param string|list<string> $secrets the endpoint's secret; during a rotation, the new one and the old one
     * @param callable(Event): mixed $onEvent handles a verified event. Deliveries repeat, so handle each $event->id
     *     once. If it throws, the answer is 500 and the event is delivered again
     * @param (callable(WebhookVerificationException): mixed)|null $onRefused is called with what was refused with 400
     * @param (callable(Throwable): mixed)|null $onError is called with errors of $onEvent; error_log() if it is null
     */
    public function __construct(
        #[SensitiveParameter] string|array $secrets,
        callable $onEvent,
        ?callable $onRefused = null,
        ?callable $onError = null,
        private int|float $toleranceSeconds = Webhook::TOLERANCE_SECONDS,
    ) {
        $this->secrets = new SensitiveParameterValue($secrets);
        $this->onEvent = $onEvent(...);
        $this->onRefused = ($onRefused ?? static fn () => null)(...);
        $this->onError = ($onError ?? self::log(...))(...);
    }

    /** Answers the request of this PHP process, without a framework. */
    public function serve(): void
    {
        $body = file_get_contents('php://input', length: self::MAX_BODY_BYTES + 1);
        http_response_code($this->status((string) $body, $_SERVER));
    }

    /**
     * Returns the status to answer with: 204 once $onEvent has returned, 400 to what is not genuine, 413 to a body over
     * 64 KiB, and 500 if $onEvent threw.
     *
     * @param string $body the raw bytes, as for Webhook::verify()
     * @param array<array-key, mixed> $headers as for Webhook::verify()
     */
    public function status(string $body, array $headers): int
    {
        if (strlen($body) > self::MAX_BODY_BYTES) {
            return 413;
        }
        try {
            $secrets = $this->secrets->getValue();
            ($this->onEvent)(Webhook::verify($body, $headers, $secrets, $this->toleranceSeconds));
            return 204;
        } catch (WebhookVerificationException $error) {
            ($this->onRefused)($error);
            return 400;
        } catch (Throwable $error) {
            ($this->onError)($error);
            return 500;
        }
    }

    private static function log(Throwable $error): void
    {
        error_log("pesapost: a webhook was not handled: $error");
    }
}
