package com.pesapost;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class JsonTest {
    private static Object parsed(String text) {
        return Json.parse(text.getBytes(UTF_8));
    }

    private static String written(Map<String, ?> members) {
        return new String(Json.write(members), UTF_8);
    }

    @Test
    void numbersAreNeverRounded() {
        assertEquals(
                List.of(1L, new BigInteger("9223372036854775808"), new BigDecimal("1.10"), new BigDecimal("1E+400")),
                parsed("[1,9223372036854775808,1.10,1e400]"));
        assertEquals(List.of(-999999999999999999L, 0L), parsed("[-999999999999999999,-0]"));
    }

    @Test
    void membersOfMoneyAreAmountsAtAnyDepth() {
        Amount amount = Amount.parse("123456789012345678901");
        assertEquals(
                Map.of("by", List.of(Map.of("sum_minor", amount, "quoted_minor", amount))),
                parsed("{\"by\":[{\"sum_minor\":123456789012345678901,\"quoted_minor\":\"123456789012345678901\"}]}"));
        assertEquals(
                Map.of("a_minor", new BigDecimal("1.5"), "b_minor", "KES 250"),
                parsed("{\"a_minor\":1.5,\"b_minor\":\"KES 250\"}"));
    }

    @Test
    void textHasEveryEscape() {
        String escapes = "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\ud83d\\ude00\"";
        assertEquals("\"\\/\b\f\n\r\té😀", parsed(escapes));
        assertEquals("{\"a\":\"\\\"\\\\\\u000a\\u001fé😀\"}", written(Map.of("a", "\"\\\n\u001fé😀")));
    }

    @Test
    void otherTextIsMalformed() {
        for (String text : List.of(
                "", " ", "{", "[1", "[1,]", "{\"a\":1,}", "{\"a\"}", "{a:1}", "[1 2]", "1 2", "01", "1.", ".5", "+1",
                "-", "1e", "NaN", "tru", "'a'", "\"a", "\"\n\"", "\"\\x\"", "\"\\u12g4\"", "\"\\u12", "\uFEFF1",
                "1e99999999999", "[".repeat(100_000))) {
            assertThrows(MalformedJson.class, () -> parsed(text), text.substring(0, Math.min(20, text.length())));
        }
    }

    @Test
    void readValuesCannotBeChanged() {
        Map<?, ?> members = (Map<?, ?>) parsed(" { \"a\" : [ null , true , false ] , \"b\" : { } } ");
        assertEquals(Arrays.asList(null, true, false), members.get("a"));
        assertThrows(UnsupportedOperationException.class, members::clear);
        assertThrows(UnsupportedOperationException.class, ((List<?>) members.get("a"))::clear);
    }

    @Test
    void aRequestIsWrittenInOrder() {
        Map<String, Object> members = new LinkedHashMap<>();
        members.put("items", List.of(Map.of("count", 2), Map.of()));
        members.put("amount_minor", Amount.parse("9007199254740993"));
        assertEquals("{\"items\":[{\"count\":2},{}],\"amount_minor\":9007199254740993}", written(members));
    }

    @Test
    void halfASurrogatePairCannotBeSent() {
        Map<String, String> members = Map.of("reference", "\ud800");
        assertThrows(IllegalArgumentException.class, () -> Json.write(members));
    }
}
