package com.pesapost;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;

/** Sends requests to one server, each with its whole answer within a limit (SDK-3, SDK-9). */
final class Wire {
    private static final Duration LEAST = Duration.ofMillis(1);

    private final HttpClient http;
    private final String origin;

    Wire(HttpClient http, String origin) {
        this.http = http;
        this.origin = origin;
    }

    /**
     * A request.
     *
     * @param method the method
     * @param target the path and query as they were signed
     * @param headers the headers
     * @param body the body, which may be empty
     */
    record Request(String method, String target, Map<String, String> headers, byte[] body) {}

    /** Sends a request and reads its answer. Throws the failure if there is none, or if the thread is interrupted. */
    HttpResponse<byte[]> exchange(Request request, Duration limit) {
        Deadline deadline = Deadline.after(limit);
        HttpRequest.Builder builder = HttpRequest.newBuilder(URI.create(origin + request.target()))
                // Under HTTP/2, the client repeats requests in further cases.
                .version(HttpClient.Version.HTTP_1_1)
                .timeout(atLeast(limit))
                .method(request.method(), new SentOnce(request.body()));
        request.headers().forEach(builder::header);
        try {
            return http.send(builder.build(), head -> new BodyWithin(atLeast(deadline.left())));
        } catch (InterruptedException interruption) {
            throw Failure.interrupted(interruption);
        } catch (IOException failure) {
            boolean isLate = failure instanceof HttpTimeoutException || failure.getCause() instanceof TimeoutException;
            throw isLate ? Failure.timeout(limit, failure) : Failure.network(failure);
        }
    }

    private static Duration atLeast(Duration limit) {
        return limit.compareTo(LEAST) < 0 ? LEAST : limit;
    }

    /**
     * A body that fails a request which is sent again. If a connection breaks, {@code HttpClient} repeats a GET on its
     * own with the same nonce (SDK-6), and no caller would know. It asks for the length once for each time that it
     * sends.
     */
    private static final class SentOnce implements HttpRequest.BodyPublisher {
        private final HttpRequest.BodyPublisher body;
        private final AtomicBoolean isSent = new AtomicBoolean();

        SentOnce(byte[] body) {
            this.body = HttpRequest.BodyPublishers.ofByteArray(body);
        }

        @Override
        public long contentLength() {
            if (isSent.getAndSet(true)) {
                throw new IllegalStateException("a request is sent once, because its nonce is used");
            }
            return body.contentLength();
        }

        @Override
        public void subscribe(Flow.Subscriber<? super ByteBuffer> subscriber) {
            body.subscribe(subscriber);
        }
    }

    /** The bytes of an answer that come within a limit. The limit of {@code HttpRequest} ends with the headers. */
    private static final class BodyWithin implements HttpResponse.BodySubscriber<byte[]> {
        private final HttpResponse.BodySubscriber<byte[]> bytes = HttpResponse.BodySubscribers.ofByteArray();
        private final CompletableFuture<byte[]> body;

        BodyWithin(Duration limit) {
            body = bytes.getBody().toCompletableFuture().orTimeout(limit.toNanos(), TimeUnit.NANOSECONDS);
        }

        @Override
        public CompletionStage<byte[]> getBody() {
            return body;
        }

        @Override
        public void onSubscribe(Flow.Subscription subscription) {
            body.exceptionally(failure -> {
                subscription.cancel();
                return null;
            });
            bytes.onSubscribe(subscription);
        }

        @Override
        public void onNext(List<ByteBuffer> item) {
            bytes.onNext(item);
        }

        @Override
        public void onError(Throwable failure) {
            bytes.onError(failure);
        }

        @Override
        public void onComplete() {
            bytes.onComplete();
        }
    }
}
