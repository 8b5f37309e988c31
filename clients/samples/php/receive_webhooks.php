<?php

require __DIR__ . '/serve.php';

function save(string $id, string $type, PesaPost\Answer\Transaction $data): void
{
    report("$type $data->reference");
}

// sample
$receiver = new PesaPost\WebhookReceiver(
    secrets: getenv('WEBHOOK_SECRET'),
    // Called once the signature has been verified.
    onEvent: function ($event): void {
        save($event->id, $event->type, $event->data);
    },
);
$receiver->serve();
// In a framework: $receiver->status($body, $headers)
