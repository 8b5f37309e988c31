<?php

declare(strict_types=1);

namespace PesaPost\Answer;

use ReflectionMethod;
use ReflectionParameter;
use TypeError;

/** Makes an answer of the members of a JSON object. */
trait FromMembers
{
    /**
     * @internal
     *
     * @param array<string, mixed> $members a member that is null or absent leaves the property's default
     * @param array<string, mixed> $own values of properties that the members do not have as they are
     *
     * @throws TypeError if a member is of another type than its property
     */
    public static function of(array $members, array $own = []): self
    {
        static $names;
        $names ??= array_flip(array_map(
            static fn (ReflectionParameter $parameter): string => $parameter->name,
            (new ReflectionMethod(self::class, '__construct'))->getParameters(),
        ));
        $present = array_filter($members, static fn (mixed $value): bool => $value !== null);
        return new self(...($own + ['members' => $members] + array_intersect_key($present, $names)));
    }
}
