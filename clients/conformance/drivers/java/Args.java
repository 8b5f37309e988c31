import com.pesapost.Amount;
import com.pesapost.PostOption;
import com.pesapost.ReadOption;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;

/**
 * The members of an object in a request of the suite.
 *
 * @param given the object
 */
record Args(Object given) {
    Object get(String name) {
        return ((Map<?, ?>) given).get(name);
    }

    boolean has(String name) {
        return get(name) != null;
    }

    String text(String name) {
        return (String) get(name);
    }

    byte[] bytes(String name) {
        return Base64.getDecoder().decode(text(name));
    }

    Integer integer(String name) {
        return has(name) ? Integer.valueOf(Math.toIntExact((Long) get(name))) : null;
    }

    Duration milliseconds(String name, Duration otherwise) {
        return has(name) ? Duration.ofMillis((Long) get(name)) : otherwise;
    }

    Clock clock(String name) {
        return has(name)
                ? Clock.fixed(Instant.ofEpochMilli((Long) get(name)), ZoneOffset.UTC)
                : Clock.systemUTC();
    }

    LocalDate day(String name) {
        return has(name) ? LocalDate.parse(text(name)) : null;
    }

    /** Makes the client's own amount of digits. No other value can become one. */
    Amount amount(String name) {
        Object value = get(name);
        return value == null || value instanceof Amount ? (Amount) value : Amount.parse(value.toString());
    }

    List<?> list(String name) {
        return (List<?>) get(name);
    }

    /** Returns an argument of the method; one without members if it was left out. */
    Args argument(int index) {
        List<?> all = list("arguments");
        return new Args(index < all.size() ? all.get(index) : Map.of());
    }

    String name() {
        return (String) argument(0).given();
    }

    PostOption[] posting() {
        return has("idempotency_key")
                ? new PostOption[] {PostOption.idempotencyKey(text("idempotency_key"))}
                : new PostOption[0];
    }

    ReadOption[] reading() {
        List<ReadOption> options = new ArrayList<>();
        if (has("min_position")) {
            options.add(ReadOption.minPosition(text("min_position")));
        }
        if (has("at_position")) {
            options.add(ReadOption.atPosition(text("at_position")));
        }
        return options.toArray(ReadOption[]::new);
    }
}
