import de.bwaldvogel.mongo.MongoBackend;
import de.bwaldvogel.mongo.MongoVersion;
import de.bwaldvogel.mongo.backend.h2.H2Backend;
import de.bwaldvogel.mongo.backend.memory.MemoryBackend;
import de.bwaldvogel.mongo.bson.Document;
import de.bwaldvogel.mongo.wire.message.MongoMessage;
import java.util.List;
import java.util.Set;

/** `java MongoServer <port> [file]`: a MongoDB-protocol server on 127.0.0.1, in memory or in one H2 file. */
public class MongoServer {
  private static final Set<String> WRITES =
      Set.of("insert", "update", "delete", "findAndModify", "findandmodify", "create", "createIndexes", "drop",
          "dropDatabase", "dropIndexes", "renameCollection");

  public static void main(String[] arguments) {
    MongoBackend backend = arguments.length > 1 ? new CommittingBackend(arguments[1]) : new InMemoryBackend();
    backend.version(new Version5());
    new de.bwaldvogel.mongo.MongoServer(backend).bind("127.0.0.1", Integer.parseInt(arguments[0]));
    System.out.println("ready");
  }

  private static boolean isWrite(MongoMessage message) {
    return WRITES.contains(message.getDocument().keySet().iterator().next());
  }

  /**
   * One write at a time: where several clients are the first to use a collection at once, the library creates it
   * unsafely («Unknown error: null»).
   */
  private static class InMemoryBackend extends MemoryBackend {
    @Override
    public Document handleMessage(MongoMessage message) {
      if (!isWrite(message)) return super.handleMessage(message);
      synchronized (this) {
        return super.handleMessage(message);
      }
    }
  }

  /** One write at a time, too, and commits before it answers, so that what was acknowledged survives SIGKILL. */
  private static class CommittingBackend extends H2Backend {
    CommittingBackend(String file) {
      super(file);
    }

    @Override
    public Document handleMessage(MongoMessage message) {
      if (!isWrite(message)) return super.handleMessage(message);
      synchronized (this) {
        try {
          return super.handleMessage(message);
        } finally {
          commit();
        }
      }
    }
  }

  /** The Node driver wants wire version 9 or newer; the library's own default is older. */
  private static class Version5 implements MongoVersion {
    @Override
    public List<Integer> getVersionArray() {
      return List.of(5, 0, 0);
    }

    @Override
    public int getWireVersion() {
      return 13;
    }
  }
}
