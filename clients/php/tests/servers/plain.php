<?php

/** A receiver without a framework, for PHP's built-in server. */

declare(strict_types=1);

require __DIR__ . '/../../autoload.php';
require __DIR__ . '/handle.php';

use PesaPost\WebhookReceiver;

(new WebhookReceiver(['whsec_2', 'whsec_1'], handle(...), refused(...)))->serve();
