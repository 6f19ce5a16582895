package dev.sluice.server.config;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.api.lowlevel.Parse;
import org.snakeyaml.engine.v2.events.AliasEvent;
import org.snakeyaml.engine.v2.events.CollectionStartEvent;
import org.snakeyaml.engine.v2.events.Event;
import org.snakeyaml.engine.v2.events.ScalarEvent;
import org.snakeyaml.engine.v2.exceptions.MarkedYamlEngineException;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;

/**
 * Reads one YAML document into {@link ConfigNode}s.
 *
 * <p>Works on the parser's events, not on its objects: no class is ever named by a file, nothing
 * refers to anything else in it, and depth is counted as it grows, so a hostile file costs no more
 * than an honest one of its size. Aliases and tags are refused.
 */
public final class YamlReader {
  private static final int DEEPEST = 20;

  private final Problems problems;
  private final Iterator<Event> events;

  private YamlReader(String text, Problems problems) {
    this.problems = problems;
    LoadSettings settings = LoadSettings.builder().setCodePointLimit(PolicyFile.LARGEST).build();
    this.events = new Parse(settings).parseString(text).iterator();
  }

  /** The document, or null after a problem that leaves nothing to look at. */
  public static @Nullable ConfigNode read(String text, Problems problems) {
    try {
      return new YamlReader(text, problems).document();
    } catch (RefusedException refused) {
      return null;
    } catch (MarkedYamlEngineException wrong) {
      int line = wrong.getProblemMark().map(mark -> mark.getLine() + 1).orElse(1);
      problems.add(line, "not YAML: " + wrong.getProblem());
    } catch (YamlEngineException wrong) {
      problems.add(1, "not YAML: " + firstLine(wrong));
    }
    return null;
  }

  private static String firstLine(YamlEngineException wrong) {
    return String.valueOf(wrong.getMessage()).lines().findFirst().orElse("unreadable");
  }

  /** Reading cannot go on; the problem has been told. */
  private static final class RefusedException extends RuntimeException {
    private static final long serialVersionUID = 1;

    RefusedException() {
      super(null, null, false, false);
    }
  }

  private RefusedException refuse(int line, String text) {
    problems.add(line, text);
    return new RefusedException();
  }

  private @Nullable ConfigNode document() {
    ConfigNode root = null;
    while (events.hasNext()) {
      Event event = events.next();
      switch (event.getEventId()) {
        case StreamStart, DocumentStart, DocumentEnd, StreamEnd, Comment -> {}
        default -> {
          if (root != null) {
            throw refuse(line(event), "a second document: only one is read");
          }
          root = node(event, 1);
        }
      }
    }
    return root;
  }

  private ConfigNode node(Event event, int depth) {
    int line = line(event);
    if (depth > DEEPEST) {
      throw refuse(line, "nesting must be at most %d deep".formatted(DEEPEST));
    }
    if (event instanceof AliasEvent alias) {
      throw refuse(line, "aliases are not supported, got '*%s'".formatted(alias.getAlias()));
    }
    if (event instanceof ScalarEvent scalar) {
      noTag(scalar.getTag(), line);
      return new ConfigNode.Scalar(line, scalar.getValue(), !scalar.isPlain());
    }
    noTag(((CollectionStartEvent) event).getTag(), line);
    return event.getEventId() == Event.ID.SequenceStart
        ? new ConfigNode.Sequence(line, items(depth))
        : new ConfigNode.Mapping(line, members(depth));
  }

  private void noTag(Optional<String> tag, int line) {
    if (tag.isPresent()) {
      throw refuse(line, "tags are not supported, got '%s'".formatted(tag.get()));
    }
  }

  private List<ConfigNode> items(int depth) {
    List<ConfigNode> items = new ArrayList<>();
    while (true) {
      Event event = events.next();
      if (event.getEventId() == Event.ID.SequenceEnd) {
        return items;
      }
      items.add(node(event, depth + 1));
    }
  }

  private Map<String, ConfigNode.Member> members(int depth) {
    Map<String, ConfigNode.Member> members = new LinkedHashMap<>();
    while (true) {
      Event event = events.next();
      if (event.getEventId() == Event.ID.MappingEnd) {
        return members;
      }
      int line = line(event);
      if (!(node(event, depth + 1) instanceof ConfigNode.Scalar name)) {
        throw refuse(line, "a key must be text");
      }
      ConfigNode value = node(events.next(), depth + 1);
      ConfigNode.Member first =
          members.putIfAbsent(name.text(), new ConfigNode.Member(line, value));
      if (first != null) {
        problems.add(
            line, "key '%s' is there twice, first in line %d".formatted(name.text(), first.line()));
      }
    }
  }

  private static int line(Event event) {
    return event.getStartMark().map(mark -> mark.getLine() + 1).orElse(0);
  }
}
