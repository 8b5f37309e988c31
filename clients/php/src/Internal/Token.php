<?php

declare(strict_types=1);

namespace PesaPost\Internal;

use SensitiveParameter;
use SensitiveParameterValue;

/**
 * A token, and the Unix time from which it is renewed.
 *
 * @internal
 */
final readonly class Token
{
    private function __construct(private SensitiveParameterValue $text, public float $renewAt)
    {
    }

    /** Returns null if the values are of other types, or if the text cannot be a header. */
    public static function of(#[SensitiveParameter] mixed $text, mixed $renewAt): ?self
    {
        if (!is_string($text) || preg_match('/^[\x21-\x7e]+$/D', $text) !== 1 || !is_float($renewAt)) {
            return null;
        }
        return new self(new SensitiveParameterValue($text), $renewAt);
    }

    public function text(): string
    {
        return $this->text->getValue();
    }
}
