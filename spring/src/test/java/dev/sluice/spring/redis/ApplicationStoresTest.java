package dev.sluice.spring.redis;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.redis.RedisOptions;
import org.junit.jupiter.api.Test;
import org.springframework.data.redis.connection.RedisStaticMasterReplicaConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

class ApplicationStoresTest {
  /** As {@code spring.data.redis.masterreplica.nodes} makes them. */
  @Test
  void serversThatAreNamedOneByOneAreNotTakenForThisMachine() {
    RedisStaticMasterReplicaConfiguration servers =
        new RedisStaticMasterReplicaConfiguration("db1.example", 6379);
    servers.addNode("db2.example", 6379);
    LettuceConnectionFactory factory = new LettuceConnectionFactory(servers);
    ApplicationStores stores = new ApplicationStores(() -> factory, RedisOptions.defaults());
    assertThatThrownBy(() -> stores.open("application").orElseThrow().close())
        .hasMessage(
            "store 'application': a master and replicas that are named one by one must be given as"
                + " the master's own address");
  }
}
