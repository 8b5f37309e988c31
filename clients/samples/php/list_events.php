<?php

require __DIR__ . '/client.php';

// sample
// Each event after the last one that you handled.
foreach ($client->events->all(41) as $event) {
    echo "$event->sequence $event->type\n";
}
