<?php

declare(strict_types=1);

use PesaPost\Answer\Event;
use PesaPost\WebhookVerificationException;

/** Reports the event to the test, through the log of the server. */
function handle(Event $event): void
{
    if ($event->data->amount_minor === 500) {
        throw new RuntimeException('no database');
    }
    error_log("handled $event->id");
}

function refused(WebhookVerificationException $error): void
{
    error_log("refused $error->errorCode");
}
