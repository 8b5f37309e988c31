<?php

/** Loads the classes for a program without Composer. */

declare(strict_types=1);

spl_autoload_register(static function (string $class): void {
    if (str_starts_with($class, 'PesaPost\\')) {
        require __DIR__ . '/src/' . strtr(substr($class, strlen('PesaPost\\')), '\\', '/') . '.php';
    }
});
