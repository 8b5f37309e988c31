package com.pesapost;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.Currency;
import java.util.List;
import org.junit.jupiter.api.Test;

class AmountTest {
    private static final Currency KES = Currency.getInstance("KES");

    @Test
    void amountsAreExactAtAnySize() {
        Amount huge = new Amount(BigInteger.TWO.pow(100));
        for (Amount amount : List.of(Amount.ZERO, Amount.ofMinor(25_000), Amount.ofMinor(Long.MIN_VALUE), huge)) {
            assertEquals(amount, Amount.parse(amount.toString()));
        }
        assertEquals("1267650600228229401496703205377", huge.plus(Amount.ofMinor(1)).toString());
        assertEquals(Amount.ZERO, huge.minus(huge));
        assertTrue(huge.compareTo(Amount.ofMinor(Long.MAX_VALUE)) > 0);
    }

    @Test
    void anAmountBeyondLongFailsInsteadOfOverflowing() {
        Amount most = Amount.ofMinor(Long.MAX_VALUE);
        assertEquals(Long.MAX_VALUE, most.longValueExact());
        Amount more = most.plus(Amount.ofMinor(1));
        assertThrows(ArithmeticException.class, more::longValueExact);
    }

    @Test
    void decimalNumbersBecomeMinorUnitsExactly() {
        assertEquals(Amount.ofMinor(25_050), Amount.ofMajor(new BigDecimal("250.5"), KES));
        assertEquals(Amount.ofMinor(-1), Amount.ofMajor(new BigDecimal("-0.010"), KES));
        assertEquals(Amount.ofMinor(250), Amount.ofMajor(new BigDecimal("250"), Currency.getInstance("JPY")));
        assertEquals(new BigDecimal("250.50"), Amount.ofMinor(25_050).toMajor(KES));
        assertThrows(ArithmeticException.class, () -> Amount.ofMajor(new BigDecimal("0.001"), KES));
    }

    @Test
    void anythingButAnIntegerIsNoAmount() {
        for (String text : List.of("250.5", "1e3", "null", "true", "KES 250", "", "01", "+1", "-", "1 ")) {
            assertThrows(NumberFormatException.class, () -> Amount.parse(text), text);
        }
    }
}
