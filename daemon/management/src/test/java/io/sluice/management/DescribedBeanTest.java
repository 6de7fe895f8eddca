package io.sluice.management;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.groups.Tuple.tuple;

import java.util.List;
import javax.management.MBeanFeatureInfo;
import javax.management.MBeanInfo;
import javax.management.MBeanServer;
import javax.management.MBeanServerFactory;
import javax.management.NotificationBroadcasterSupport;
import javax.management.ObjectName;
import org.junit.jupiter.api.Test;

final class DescribedBeanTest {
  /** A bean with everything a bean may have. */
  @Description("A lamp.")
  public interface LampMXBean {
    @Description("Whether it is lit.")
    boolean isLit();

    @Description("Light for some time.")
    void light(@Description("for how long") long durationMs);

    @Description("Light in a colour.")
    void light(@Description("for how long") long durationMs, @Description("which") String colour);

    @Description("Light as words say.")
    default void light(@Description("such as 5 red") String words) {
      light(Long.parseLong(words.split(" ")[0]), words.split(" ")[1]);
    }
  }

  /** A bean whose attribute nobody described. */
  @Description("A lamp.")
  public interface DarkMXBean {
    boolean isLit();
  }

  private static final class Lamp extends NotificationBroadcasterSupport implements LampMXBean {
    private String last = "";

    Lamp() {
      super(NotificationTypes.infos());
    }

    @Override
    public boolean isLit() {
      return true;
    }

    @Override
    public void light(long durationMs) {
      last = durationMs + " ms";
    }

    @Override
    public void light(long durationMs, String colour) {
      last = durationMs + " ms " + colour;
    }
  }

  private final MBeanServer beans = MBeanServerFactory.newMBeanServer();

  @Test
  void info_ofARegisteredBean_isThatOfItsInterface() throws Exception {
    ObjectName name = new ObjectName("io.sluice:type=Lamp");
    beans.registerMBean(DescribedBean.of(new Lamp(), LampMXBean.class), name);

    MBeanInfo info = beans.getMBeanInfo(name);

    assertThat(info.getDescription()).isEqualTo("A lamp.");
    assertThat(info.getAttributes())
        .extracting(MBeanFeatureInfo::getName, MBeanFeatureInfo::getDescription)
        .containsExactly(tuple("Lit", "Whether it is lit."));
    assertThat(info.getOperations())
        .extracting(o -> o.getDescription() + " " + o.getSignature().length)
        .containsExactlyInAnyOrder(
            "Light for some time. 1", "Light in a colour. 2", "Light as words say. 1");
    assertThat(info.getOperations())
        .filteredOn(o -> o.getSignature().length == 2)
        .flatExtracting(o -> List.of(o.getSignature()))
        .extracting(MBeanFeatureInfo::getName, MBeanFeatureInfo::getDescription)
        .containsExactly(tuple("durationMs", "for how long"), tuple("colour", "which"));
    assertThat(info.getNotifications()).hasSameSizeAs(NotificationTypes.infos()).isNotEmpty();
  }

  @Test
  void invoke_ofAnOverload_reachesIt() throws Exception {
    ObjectName name = new ObjectName("io.sluice:type=Lamp");
    Lamp lamp = new Lamp();
    beans.registerMBean(DescribedBean.of(lamp, LampMXBean.class), name);

    Object _ =
        beans.invoke(
            name, "light", new Object[] {5L, "red"}, new String[] {"long", String.class.getName()});

    assertThat(lamp.last).isEqualTo("5 ms red");

    Object _ =
        beans.invoke(name, "light", new Object[] {"7 blue"}, new String[] {String.class.getName()});

    assertThat(lamp.last).isEqualTo("7 ms blue");
  }

  @Test
  void of_attributeWithoutDescription_isRefused() {
    DarkMXBean dark = () -> false;

    assertThatThrownBy(() -> DescribedBean.of(dark, DarkMXBean.class).getMBeanInfo())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("isLit");
  }
}
