<?php

/** A receiver in a route of Laravel, for PHP's built-in server. */

declare(strict_types=1);

require __DIR__ . '/../../autoload.php';
require __DIR__ . '/handle.php';
require 'Illuminate/Routing/autoload.php';
require 'Illuminate/Events/autoload.php';

use Illuminate\Container\Container;
use Illuminate\Events\Dispatcher;
use Illuminate\Http\Request;
use Illuminate\Http\Response;
use Illuminate\Routing\Router;
use Illuminate\Support\Facades\Facade;
use Illuminate\Support\Facades\Route;
use PesaPost\WebhookReceiver;

// Debian's Laravel is older than its PHP.
error_reporting(E_ALL & ~E_DEPRECATED);
$container = new Container();
$container->instance('router', new Router(new Dispatcher($container), $container));
Facade::setFacadeApplication($container);
$receiver = new WebhookReceiver(['whsec_2', 'whsec_1'], handle(...), refused(...));

Route::post('/webhooks', fn (Request $request) => new Response(status: $receiver->status(
    $request->getContent(),
    $request->headers->all(),
)));

// As Laravel's kernel does.
$container->instance(Request::class, Request::capture());
$container->make('router')->dispatch($container->make(Request::class))->send();
