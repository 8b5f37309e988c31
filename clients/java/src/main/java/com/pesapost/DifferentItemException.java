package com.pesapost;

import java.util.List;

/**
 * The reference belongs to an earlier item, and the call asked for something else: nothing was pushed or reserved
 * (SDK-5).
 */
public final class DifferentItemException extends PesaPostException {
    private static final long serialVersionUID = 1L;

    private final transient CreatedItem existing;

    /** The fields that differ. */
    private final String[] differs;

    /** The earlier item's reference. */
    private final String reference;

    DifferentItemException(String code, List<String> differs, CreatedItem existing) {
        this(Failure.of(code, ErrorKind.REFUSED, sentence(differs, existing)), CallFacts.NONE, differs, existing);
    }

    private DifferentItemException(Failure failure, CallFacts call, List<String> differs, CreatedItem existing) {
        super(failure, call, null);
        this.differs = differs.toArray(String[]::new);
        this.existing = existing;
        this.reference = existing.reference();
    }

    private static String sentence(List<String> differs, CreatedItem existing) {
        return existing.reference() + " is an earlier item of another " + String.join(", ", differs)
                + "; nothing was done";
    }

    @Override
    PesaPostException of(CallFacts named) {
        return new DifferentItemException(failure(), named, differs(), existing);
    }

    /**
     * Returns the reference.
     *
     * @return the reference
     */
    public String reference() {
        return reference;
    }

    /**
     * Returns the call's fields that differ from the earlier item's.
     *
     * @return the fields, such as amount_minor
     */
    public List<String> differs() {
        return List.of(differs);
    }

    /**
     * Returns the earlier item in its current state. Its status never answers this call.
     *
     * @return the earlier item; null after the exception was serialized
     */
    public CreatedItem existing() {
        return existing;
    }
}
