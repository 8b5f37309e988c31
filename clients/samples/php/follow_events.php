<?php

require __DIR__ . '/serve.php';
require __DIR__ . '/client.php';

function handle(PesaPost\Answer\Event $event): void
{
    report("$event->sequence $event->type {$event->data->reference}");
}

// sample
$catchUp = function ($webhook) use ($client): void {
    // In your service: a row that is written with the work.
    $file = fopen('last-sequence.txt', 'c+');
    flock($file, LOCK_EX);
    $last = (int) fgets($file);
    // A webhook only says that there are events. The feed has them all.
    foreach ($client->events->all($last) as $event) {
        handle($event);
        $last = $event->sequence;
        rewind($file);
        fwrite($file, "$last\n");
    }
    // The feed may be a moment behind. After a 500, the webhook is sent again.
    if ($last < $webhook->sequence) {
        throw new RuntimeException('the feed is behind');
    }
};
$receiver = new PesaPost\WebhookReceiver(getenv('WEBHOOK_SECRET'), $catchUp);
$receiver->serve();
