package com.pesapost;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.Currency;
import java.util.Objects;
import java.util.regex.Pattern;

/**
 * A number of minor units, exact at any size: KES 250.00 is {@code Amount.ofMinor(25_000)} (SDK-13).
 *
 * <p>There is no way to or from {@code double}.
 *
 * @param minor the minor units
 */
public record Amount(BigInteger minor) implements Comparable<Amount> {
    /** No money. */
    public static final Amount ZERO = ofMinor(0);

    private static final Pattern INTEGER = Pattern.compile("-?(?:0|[1-9][0-9]*)");

    /**
     * Refuses null.
     *
     * @param minor the minor units
     */
    public Amount {
        Objects.requireNonNull(minor, "minor");
    }

    /**
     * Makes an amount of minor units.
     *
     * @param minor the minor units
     * @return the amount
     */
    public static Amount ofMinor(long minor) {
        return new Amount(BigInteger.valueOf(minor));
    }

    /**
     * Makes an amount of a decimal number in the currency's unit: 250.5 KES is 25,050 minor units.
     *
     * @param major the number in the currency's unit
     * @param currency the currency, which has a number of decimals
     * @return the amount
     * @throws ArithmeticException if the number has more decimals than the currency
     */
    public static Amount ofMajor(BigDecimal major, Currency currency) {
        return new Amount(major.movePointRight(currency.getDefaultFractionDigits()).toBigIntegerExact());
    }

    /**
     * Reads minor units in decimal digits, such as {@code 25000}.
     *
     * @param digits the digits, without leading zeros
     * @return the amount
     * @throws NumberFormatException if the text is no integer, such as {@code 250.5} or {@code 1e3}
     */
    public static Amount parse(String digits) {
        if (!INTEGER.matcher(digits).matches()) {
            throw new NumberFormatException("an amount is an integer of minor units: KES 250.00 is 25000");
        }
        return new Amount(new BigInteger(digits));
    }

    /**
     * Returns the minor units as a {@code long}.
     *
     * @return the minor units
     * @throws ArithmeticException if they do not fit
     */
    public long longValueExact() {
        return minor.longValueExact();
    }

    /**
     * Returns the amount in the currency's unit: 25,050 minor units are 250.50 KES.
     *
     * @param currency the currency, which has a number of decimals
     * @return the exact number
     */
    public BigDecimal toMajor(Currency currency) {
        return new BigDecimal(minor, currency.getDefaultFractionDigits());
    }

    /**
     * Adds an amount.
     *
     * @param other the amount to add
     * @return the exact sum
     */
    public Amount plus(Amount other) {
        return new Amount(minor.add(other.minor));
    }

    /**
     * Subtracts an amount.
     *
     * @param other the amount to subtract
     * @return the exact difference
     */
    public Amount minus(Amount other) {
        return new Amount(minor.subtract(other.minor));
    }

    @Override
    public int compareTo(Amount other) {
        return minor.compareTo(other.minor);
    }

    /**
     * Returns the minor units in decimal digits.
     *
     * @return the digits
     */
    @Override
    public String toString() {
        return minor.toString();
    }
}
