import com.pesapost.Amount;
import java.lang.reflect.RecordComponent;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Writes an answer as JSON, and its amounts as digits. Members that have a component come from the component. */
final class Digits {
    private Digits() {}

    static Object written(Object value) {
        if (value instanceof Map<?, ?> members) {
            Map<String, Object> written = new LinkedHashMap<>();
            members.forEach((name, member) -> written.put((String) name, written(member)));
            return written;
        }
        if (value instanceof List<?> items) {
            return items.stream().map(Digits::written).toList();
        }
        if (value instanceof Record answer && !(value instanceof Amount)) {
            return ofAnswer(answer);
        }
        return value == null || value instanceof Number || value instanceof Boolean ? value : value.toString();
    }

    private static Map<String, Object> ofAnswer(Record answer) {
        Map<String, Object> components = new LinkedHashMap<>();
        for (RecordComponent component : answer.getClass().getRecordComponents()) {
            String name = component.getName().replaceAll("([A-Z])", "_$1").toLowerCase(Locale.ROOT);
            components.put(name, valueOf(component, answer));
        }
        Object members = components.remove("members");
        if (members == null) {
            return ofComponents(components);
        }
        @SuppressWarnings("unchecked")
        Map<String, Object> written = (Map<String, Object>) written(members);
        components.forEach((name, value) -> {
            boolean isFact = List.of("existing", "replayed", "ledger_position").contains(name);
            if (value != null && (isFact || written.containsKey(name))) {
                written.put(name, written(value));
            }
        });
        return written;
    }

    /** Writes a part of an answer, such as the totals of a status. */
    private static Map<String, Object> ofComponents(Map<String, Object> components) {
        Map<String, Object> written = new LinkedHashMap<>();
        components.forEach((name, value) -> written.put(name, written(value)));
        return written;
    }

    private static Object valueOf(RecordComponent component, Record answer) {
        try {
            return component.getAccessor().invoke(answer);
        } catch (ReflectiveOperationException impossible) {
            throw new IllegalStateException(impossible);
        }
    }
}
