package com.pesapost;

import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Spliterator;
import java.util.Spliterators;
import java.util.function.Supplier;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/**
 * A list that is fetched page after page, and only as far as it is read.
 *
 * <p>Each iterator and each stream begins again at the first page. One thread reads an iterator at a time. A call that
 * fails throws {@link PesaPostException} while the list is read.
 *
 * @param <T> the type of an item
 */
public final class Listing<T> implements Iterable<T> {
    private final Supplier<Source<T>> start;

    /** @param start begins at the first page */
    Listing(Supplier<Source<T>> start) {
        this.start = start;
    }

    /**
     * Returns the next items each time, and null after the last ones.
     *
     * @param <T> the type of an item
     */
    interface Source<T> {
        Step<T> next();
    }

    /**
     * Some items.
     *
     * @param items the items
     * @param failure the failure that follows them; null if there is none
     * @param <T> the type of an item
     */
    record Step<T>(List<T> items, PesaPostException failure) {}

    @Override
    public Iterator<T> iterator() {
        return new Walk<>(start.get());
    }

    /**
     * Returns the items as a sequential stream.
     *
     * @return the stream
     */
    public Stream<T> stream() {
        int facts = Spliterator.ORDERED | Spliterator.NONNULL;
        return StreamSupport.stream(Spliterators.spliteratorUnknownSize(iterator(), facts), false);
    }

    private static final class Walk<T> implements Iterator<T> {
        private final Source<T> source;
        private Iterator<T> items = Collections.emptyIterator();
        private PesaPostException failure;
        private boolean isOver;

        Walk(Source<T> source) {
            this.source = source;
        }

        @Override
        public boolean hasNext() {
            while (!isOver && !items.hasNext()) {
                if (failure != null) {
                    throw failure;
                }
                Step<T> step = source.next();
                isOver = step == null;
                if (!isOver) {
                    items = step.items().iterator();
                    failure = step.failure();
                }
            }
            return !isOver;
        }

        @Override
        public T next() {
            if (!hasNext()) {
                throw new NoSuchElementException();
            }
            return items.next();
        }
    }
}
