<?php

declare(strict_types=1);

namespace PesaPost\Internal;

/**
 * The bearer token (SDK-8). It is kept in memory and, if the caller gave a cache, between web requests.
 *
 * @internal
 */
final class TokenSource
{
    public const PATH = '/api/v4/oauth/token';
    /** A token is renewed so long before its end, or a tenth of its life if that is less. */
    private const RENEW_AHEAD_SECONDS = 60;

    private ?Token $held = null;
    private readonly string $cacheKey;

    public function __construct(private readonly Settings $settings)
    {
        $this->cacheKey = 'pesapost.token.' . hash('sha256', "$settings->origin $settings->clientId");
    }

    /** Returns the token, fetched within so many seconds if there is none. */
    public function current(float $seconds): Token|Failure
    {
        $held = $this->unlessOld($this->held) ?? $this->unlessOld($this->cached()) ?? $this->fetch($seconds);
        $this->held = $held instanceof Token ? $held : null;
        return $held;
    }

    /** Drops a token that the service refused. A newer one, which another process fetched, is kept. */
    public function forget(Token $refused): void
    {
        $this->held = null;
        if ($this->cached()?->text() === $refused->text()) {
            $this->settings->tokenCache?->delete($this->cacheKey);
        }
    }

    private function unlessOld(?Token $token): ?Token
    {
        return $token !== null && ($this->settings->now)() < $token->renewAt ? $token : null;
    }

    private function cached(): ?Token
    {
        $stored = $this->settings->tokenCache?->get($this->cacheKey);
        return is_array($stored) ? Token::of($stored['text'] ?? null, $stored['renew_at'] ?? null) : null;
    }

    /** Asks by OAuth 2.0 client credentials (RFC 6749, section 4.4). */
    private function fetch(float $seconds): Token|Failure
    {
        $settings = $this->settings;
        $headers = [
            'Accept' => 'application/json',
            'Authorization' => 'Basic ' . base64_encode("$settings->clientId:{$settings->clientSecret->getValue()}"),
            'Content-Type' => 'application/x-www-form-urlencoded',
        ];
        $body = 'grant_type=client_credentials';
        $raw = $settings->http->exchange('POST', self::PATH, $headers, $body, $seconds);
        $answer = $raw instanceof Failure ? $raw : Success::read(self::PATH, $raw, ($settings->now)());
        if ($answer instanceof Failure) {
            return $answer;
        }
        $life = $answer->members['expires_in'] ?? null;
        if (!is_int($life)) {
            return $answer->unexpected();
        }
        $ahead = min(self::RENEW_AHEAD_SECONDS, $life / 10);
        $token = Token::of($answer->members['access_token'] ?? null, ($settings->now)() + $life - $ahead);
        if ($token === null) {
            return $answer->unexpected();
        }
        $stored = ['text' => $token->text(), 'renew_at' => $token->renewAt];
        $settings->tokenCache?->set($this->cacheKey, $stored, max(1, $life));
        return $token;
    }
}
